"""Citations in free Korean text: found as people and models write them, and looked up.

folding    one spelling for what means the same, with the way back to the text as written
title      the names of laws, and where they occur
article    the numbers of articles, and where they occur
phrase     where the name of a law nobody knows begins
foreign    laws of other countries
subject    what the words before a number point to
cue        whether a number that stands alone is an article
reading    which article is cited of which law
verdict    what the law index says about it on a day
office     offices and their telephone numbers
checker    all of it together
"""
