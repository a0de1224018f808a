/** How to create a provider of the AI SDK, as data. */
export interface ProviderRow {
  /** The package to install. */
  readonly package: string
  /** The exports that create a provider: the first existing one is called. */
  readonly factory: readonly string[]
  /** Settings of the provider and their environment variables: the first that is set counts. */
  readonly from: { readonly [setting: string]: readonly string[] }
  /** The required settings. */
  readonly needs: readonly string[]
  /** Settings that are always given; a variable overrides them. */
  readonly fixed?: { readonly [setting: string]: string | boolean } | undefined
  /** Appended to a base URL without a path: some variables have only the host. */
  readonly basePath?: string | undefined
}

export type ProviderTable = { readonly [provider: string]: ProviderRow }

/** Most providers: a key, and a base URL for proxies and local servers. */
function keyed(name: string, factory: string, prefix: string): ProviderRow {
  const from = { apiKey: [`${prefix}_API_KEY`], baseURL: [`${prefix}_BASE_URL`] }
  return { package: `@ai-sdk/${name}`, factory: [factory], from, needs: ['apiKey'] }
}

/** Servers with the chat API of OpenAI, which usually need no key. */
function compatible(name: string, prefix: string, baseURL?: string): ProviderRow {
  return {
    package: '@ai-sdk/openai-compatible',
    factory: ['createOpenAICompatible'],
    from: { apiKey: [`${prefix}_API_KEY`], baseURL: [`${prefix}_BASE_URL`] },
    needs: baseURL === undefined ? ['baseURL'] : [],
    // Without these options, streams do not report usage, and the schema of an answer is not sent. What an unknown server enforces is not known.
    fixed: { name, includeUsage: true, ...(baseURL === undefined ? {} : { baseURL, supportsStructuredOutputs: true }) },
    basePath: '/v1',
  }
}

const ollama = compatible('ollama', 'OLLAMA', 'http://127.0.0.1:11434/v1')

/** The providers that model ids may name. Others can be added. */
export const AI_SDK_PROVIDERS: ProviderTable = {
  openai: keyed('openai', 'createOpenAI', 'OPENAI'),
  anthropic: { ...keyed('anthropic', 'createAnthropic', 'ANTHROPIC'), basePath: '/v1' },
  google: {
    package: '@ai-sdk/google',
    factory: ['createGoogle', 'createGoogleGenerativeAI'],
    from: {
      apiKey: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
      baseURL: ['GOOGLE_GENERATIVE_AI_BASE_URL'],
    },
    needs: ['apiKey'],
  },
  deepseek: keyed('deepseek', 'createDeepSeek', 'DEEPSEEK'),
  mistral: keyed('mistral', 'createMistral', 'MISTRAL'),
  xai: keyed('xai', 'createXai', 'XAI'),
  groq: keyed('groq', 'createGroq', 'GROQ'),
  cohere: keyed('cohere', 'createCohere', 'COHERE'),
  togetherai: keyed('togetherai', 'createTogetherAI', 'TOGETHER'),
  fireworks: keyed('fireworks', 'createFireworks', 'FIREWORKS'),
  cerebras: keyed('cerebras', 'createCerebras', 'CEREBRAS'),
  perplexity: keyed('perplexity', 'createPerplexity', 'PERPLEXITY'),
  deepinfra: keyed('deepinfra', 'createDeepInfra', 'DEEPINFRA'),
  moonshotai: keyed('moonshotai', 'createMoonshotAI', 'MOONSHOT'),
  alibaba: keyed('alibaba', 'createAlibaba', 'ALIBABA'),
  huggingface: keyed('huggingface', 'createHuggingFace', 'HUGGINGFACE'),
  baseten: keyed('baseten', 'createBaseten', 'BASETEN'),
  gateway: keyed('gateway', 'createGateway', 'AI_GATEWAY'),
  openrouter: {
    ...keyed('openrouter', 'createOpenRouter', 'OPENROUTER'),
    package: '@openrouter/ai-sdk-provider',
  },
  azure: {
    package: '@ai-sdk/azure',
    factory: ['createAzure'],
    from: { apiKey: ['AZURE_API_KEY'], resourceName: ['AZURE_RESOURCE_NAME'], baseURL: ['AZURE_BASE_URL'] },
    needs: ['apiKey'],
  },
  'amazon-bedrock': {
    package: '@ai-sdk/amazon-bedrock',
    factory: ['createAmazonBedrock'],
    from: {
      region: ['AWS_REGION'],
      apiKey: ['AWS_BEARER_TOKEN_BEDROCK'],
      accessKeyId: ['AWS_ACCESS_KEY_ID'],
      secretAccessKey: ['AWS_SECRET_ACCESS_KEY'],
      sessionToken: ['AWS_SESSION_TOKEN'],
    },
    needs: ['region'],
  },
  'google-vertex': {
    package: '@ai-sdk/google-vertex',
    factory: ['createGoogleVertex', 'createVertex'],
    from: {
      project: ['GOOGLE_VERTEX_PROJECT'],
      location: ['GOOGLE_VERTEX_LOCATION'],
      apiKey: ['GOOGLE_VERTEX_API_KEY'],
    },
    needs: [],
  },
  ollama: { ...ollama, from: { ...ollama.from, baseURL: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'] } },
  lmstudio: compatible('lmstudio', 'LMSTUDIO', 'http://127.0.0.1:1234/v1'),
  vllm: compatible('vllm', 'VLLM', 'http://127.0.0.1:8000/v1'),
  'openai-compatible': compatible('openai-compatible', 'OPENAI_COMPATIBLE'),
}
