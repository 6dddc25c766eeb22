# strucchange's partition of a series, as benchmark-segmentation asks for: prints the last
# observations of the left segments, from 1.
#
#   Rscript segmentation.R <file with x,y>

suppressMessages(library(strucchange))
series <- read.csv(commandArgs(trailingOnly = TRUE)[1])
cat(breakpoints(y ~ x, data = series, h = 15, breaks = 5)$breakpoints, "\n")
