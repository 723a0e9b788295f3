"""samplesite"""
