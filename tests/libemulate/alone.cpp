// A program that calls no MPI. Linked statically it can't be emulated.
int main() {}
