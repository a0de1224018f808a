// More pairs, and rules that are broken on purpose.
import './interference.test.ts'
