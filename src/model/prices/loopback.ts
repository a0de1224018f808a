const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i

/** Whether a URL is on this machine. */
export function isLoopback(address: unknown): boolean {
  return typeof address === 'string' && URL.canParse(address) && LOOPBACK.test(new URL(address).hostname)
}

/** Whether a model of the AI SDK is served on this machine: most have their settings in `config`. A model without them counts as remote. */
export function isOnLoopback(model: { readonly modelId: string }): boolean {
  const { config } = model as { readonly config?: { readonly baseURL?: unknown; readonly url?: unknown } }
  if (typeof config !== 'object' || config === null) return false
  try {
    const { baseURL, url } = config
    if (baseURL !== undefined) return isLoopback(baseURL)
    return typeof url === 'function' && isLoopback(url.call(config, { path: '/', modelId: model.modelId }))
  } catch {
    return false
  }
}
