# Python3_EXECUTABLE: the Python that the package is built for, and that draws for the programs.
# Debian's own has numpy, whichever Python comes first in PATH.
find_program(Python3_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "For the Python package")
find_program(Python3_EXECUTABLE python3)
