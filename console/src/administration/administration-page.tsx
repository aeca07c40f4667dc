import { SimpleGrid, Stack, Tabs, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../language/language.ts'
import { ErrorState, LoadingState, TabRow } from '../page/page.tsx'
import { sessionQuery } from '../session/use-session.ts'
import { readAdministrationSearch } from './administration-search.ts'
import { DeleteDevice, MoveDevice, RegisterDevice } from './devices.tsx'
import { KeysTab } from './keys.tsx'
import { OperationTab } from './operation/operation-tab.tsx'
import { SecurityLogTab } from './security-log/security-log-tab.tsx'
import { UsersTab } from './users.tsx'

const route = getRouteApi('/administration')

/** Users, keys, dongles, the state of the service and the security log of the account, for those who may administer it. */
export function AdministrationPage() {
  const texts = useTexts('administration')
  const { tab = 'users' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (!session && error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!session) return <LoadingState />
  if (!session.permissions.includes('administration')) return <ErrorState error={new ApiError(403, '')} />
  return (
    <Stack p="md" gap="sm">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={chosen => void navigate({ search: readAdministrationSearch({ tab: chosen }), replace: true })}
      >
        <TabRow chosen={tab} mb="md">
          <Tabs.Tab value="users">{texts.users}</Tabs.Tab>
          <Tabs.Tab value="keys">{texts.keys}</Tabs.Tab>
          <Tabs.Tab value="dongles">{texts.dongles}</Tabs.Tab>
          <Tabs.Tab value="operation">{texts.operation}</Tabs.Tab>
          <Tabs.Tab value="security-log">{texts.securityLog}</Tabs.Tab>
        </TabRow>
        <Tabs.Panel value="users">
          <UsersTab />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <KeysTab />
        </Tabs.Panel>
        <Tabs.Panel value="dongles">
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <RegisterDevice />
            <MoveDevice />
            <DeleteDevice />
          </SimpleGrid>
        </Tabs.Panel>
        <Tabs.Panel value="operation">
          <OperationTab />
        </Tabs.Panel>
        <Tabs.Panel value="security-log">
          <SecurityLogTab />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
