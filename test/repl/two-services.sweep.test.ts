await import('./two-services.test.ts')
