"""`python -m tokviz`: the command line."""

from tokviz.cli import main

if __name__ == "__main__":
    main()
