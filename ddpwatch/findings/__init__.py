"""What is wrong with what a run measures and logs, why, and how is it put right?"""
