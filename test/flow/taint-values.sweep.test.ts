// The other three quarters of the corpus.
import './taint-values.test.ts'
