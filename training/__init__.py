"""What makes players out of rules: training, evaluation and export. Needs the extra ``train``."""
