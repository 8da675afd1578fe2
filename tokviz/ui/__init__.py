"""The pages' part of tokviz, and the only part that imports Streamlit."""
