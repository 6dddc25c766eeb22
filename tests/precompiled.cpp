// Nothing: the target of the headers that tests share needs a source.
