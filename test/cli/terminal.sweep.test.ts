// Every command in a terminal.
import './terminal.test.ts'
