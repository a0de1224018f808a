// Three times as many attacks.
import './injection.test.ts'
