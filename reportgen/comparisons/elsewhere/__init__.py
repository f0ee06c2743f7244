"""What holds elsewhere: at other prevalences, and for those who only guess."""
