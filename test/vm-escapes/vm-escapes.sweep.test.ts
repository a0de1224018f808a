// The other four fifths of the corpus.
import './vm-escapes.test.ts'
