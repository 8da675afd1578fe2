"""Lists what there is to choose from: references, packages, saved tokenizers, samples and chat formats."""
