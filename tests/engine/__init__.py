"""Tests of the engine; they need no Qt."""
