// Hostile commands without the checks.
import './shell-options.test.ts'
