"""`python -m scenemem` is the command line."""

from scenemem.cli import main

if __name__ == "__main__":
    main()
