"""How anything is drawn in the browser. Imports nothing else of ui."""
