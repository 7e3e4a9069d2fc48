"""Writing: the ways to write what is said. Recognisers write 1450, $5, 5% and Mr., others write all of it in words.

Words that have other ways of writing are read to a value (:mod:`.table`), and a value is written in all its ways, as it
is said first. What is done where:

- The index holds words as they were written. So hits show them so, and an index need not be built again when the
  table grows. A currency sign at a number stays with it.
- A query's words are looked for in all ways of writing of which the archive has the words. What it has not costs
  nothing, so the table may offer more than is likely.
- Sounds are those of what is said: 1450 has the phones of *fourteen fifty*.
- Hypotheses of one recogniser about the same audio get the same writing before they are merged and aligned, that which
  has the most weight. So the posteriors of *1450* and *fourteen fifty* add up.
- Texts that are compared by word errors are written as they are said, in American spelling (:mod:`.normal`).
"""
