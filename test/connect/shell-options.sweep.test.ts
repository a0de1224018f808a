// Hostile commands without the checks.
await import('./shell-options.test.ts')
