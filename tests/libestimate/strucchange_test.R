# Compares what strucchange_series wrote with R's strucchange.
#
#   Rscript strucchange_test.R <folder>
#
# Exit code 77: strucchange is not installed.

if (!suppressMessages(requireNamespace("strucchange", quietly = TRUE))) {
  message("skipped: R has no package strucchange (Debian: r-cran-strucchange)")
  quit(status = 77)
}
suppressMessages(library(strucchange))

folder <- commandArgs(trailingOnly = TRUE)[1]
read <- function(name, ...) read.csv(file.path(folder, name), ...)
series <- read("series.csv")
partitions <- read("partitions.csv", colClasses = c(breaks = "character"))
intervals <- read("intervals.csv")
compared <- 0

check <- function(same, ...) {
  if (!isTRUE(same)) stop(...)
  compared <<- compared + 1
}
close <- function(a, b) abs(a - b) <= 1e-8 * abs(b)

for (id in unique(series$series)) {
  data <- series[series$series == id, ]
  ours <- partitions[partitions$series == id, ]
  # confint() evaluates the call again: the data must be found by their name.
  theirs <- breakpoints(y ~ x, data = data, h = ours$h[1], breaks = ours$most[1])
  criteria <- summary(theirs)$RSS
  for (m in ours$m) {
    place <- paste0("series ", id, ", ", m, " breaks: ")
    found <- ours[ours$m == m, ]
    expected <- breakpoints(theirs, breaks = m)$breakpoints
    if (m > 0) check(found$breaks == paste(expected, collapse = ";"), place, "breaks")
    check(close(found$rss, criteria["RSS", m + 1]), place, "RSS")
    check(close(found$bic, criteria["BIC", m + 1]), place, "BIC")
    if (m == 0) next
    for (het in c(FALSE, TRUE)) {
      bounds <- suppressWarnings(
        confint(theirs, breaks = m, het.reg = het, het.err = het))$confint
      rows <- intervals[intervals$series == id & intervals$m == m & intervals$het == het, ]
      check(all(rows$bp == bounds[, 2]), place, "breaks with intervals")
      low <- pmax(bounds[, 1], 1)
      high <- pmin(bounds[, 3], nrow(data))
      check(identical(as.integer(rows$low), as.integer(low)), place, "low, het ", het,
            ": ", paste(rows$low, collapse = " "), " not ", paste(low, collapse = " "))
      check(identical(as.integer(rows$high), as.integer(high)), place, "high, het ", het,
            ": ", paste(rows$high, collapse = " "), " not ", paste(high, collapse = " "))
    }
  }
}
missing <- sum(is.na(intervals$low))
cat(compared, "comparisons with strucchange", as.character(packageVersion("strucchange")),
    "agree;", missing, "of", nrow(intervals), "breaks without an interval\n")
