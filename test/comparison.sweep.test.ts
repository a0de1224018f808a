// The programs of the other libraries.
import './comparison.test.ts'
