// More generated programs.
import './differential.test.ts'
