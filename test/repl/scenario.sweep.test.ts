// The same with ten times as much to read.
import './scenario.test.ts'
