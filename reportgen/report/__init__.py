"""Reports as documents: sections, findings and their wording, built from an evaluation."""
