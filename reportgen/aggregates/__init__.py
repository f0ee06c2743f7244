"""Cases become sufficient statistics: confusion counts, counts per score, sums of losses."""
