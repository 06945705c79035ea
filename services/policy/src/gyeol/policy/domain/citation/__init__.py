"""Citations in free Korean text: found as people and models write them, and looked up.

folding    one spelling for what means the same, with the way back to the text as written
title      the names of laws, and where they occur
article    the numbers of articles, and where they occur
reading    which article is cited of which law
verdict    what the law index says about it on a day
office     offices and their telephone numbers
checker    all of it together
"""
