// Four times as many formats.
await import('./formats.test.ts')
