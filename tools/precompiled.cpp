// Nothing: the target of the headers that the tools share needs a source.
