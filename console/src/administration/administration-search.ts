export const ADMINISTRATION_TABS = ['users', 'keys', 'dongles', 'operation', 'security-log'] as const

/** What the address says of the page: which tab is open. */
interface AdministrationSearch {
  readonly tab?: (typeof ADMINISTRATION_TABS)[number]
}

export function readAdministrationSearch({ tab }: Record<string, unknown>): AdministrationSearch {
  return { tab: ADMINISTRATION_TABS.find(name => name === tab) }
}
