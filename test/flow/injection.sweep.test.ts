// Three times as many attacks.
await import('./injection.test.ts')
