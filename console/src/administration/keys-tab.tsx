import { Badge, Button, Group, Stack, Table } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { Key } from '../api/schema.ts'
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx'
import { formatDate } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { takeOver } from './keys-of-user.tsx'
import { PermissionsText } from './permission-choice.tsx'
import { keysQuery } from './queries.ts'
import { administrationTexts } from './texts.ts'

type Open = { readonly kind: 'add' } | { readonly kind: 'revoke' | 'take over'; readonly key: Key }

export function KeysTab() {
  const texts = useTexts(administrationTexts)
  const language = useLanguage()
  const { data: keys, error, refetch } = useQuery(keysQuery)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  if (error && !keys) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!keys) return <LoadingState />
  const revoke = async ({ id }: Key) => {
    await ask('DELETE /admin/keys/{id}', { path: { id } })
    await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
  }
  return (
    <Stack>
      <Group>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ kind: 'add' })}>
          {texts.addKey}
        </Button>
      </Group>
      {keys.length === 0 ? (
        <EmptyState icon={IconKey} title={texts.noKeys} hint={texts.noKeysHint} />
      ) : (
        <Table.ScrollContainer minWidth={720}>
          <Table highlightOnHover aria-label={texts.keys}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.name}</Table.Th>
                <Table.Th>{texts.permissions}</Table.Th>
                <Table.Th>{texts.created}</Table.Th>
                <Table.Th>{texts.expires}</Table.Th>
                <Table.Th>{texts.madeBy}</Table.Th>
                <Table.Th ta="right">{texts.actions}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {keys.map(key => (
                <Table.Tr key={key.id}>
                  <Table.Td>{key.name}</Table.Td>
                  <Table.Td>
                    <PermissionsText permissions={key.permissions} />
                  </Table.Td>
                  <Table.Td>{formatDate(Date.parse(key.createdTimestamp), language)}</Table.Td>
                  <Table.Td>
                    {key.expiresTimestamp === null
                      ? texts.never
                      : formatDate(Date.parse(key.expiresTimestamp), language)}
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs" wrap="nowrap">
                      {key.madeBy?.name ?? texts.operator}
                      {key.isResting && (
                        <Badge
                          size="sm"
                          color="orange"
                          variant="light"
                          tt="none"
                          style={{ flexShrink: 0 }}
                          title={texts.restingHint}
                        >
                          {texts.resting}
                        </Badge>
                      )}
                    </Group>
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      {key.isResting && (
                        <Button
                          size="compact-sm"
                          aria-label={texts.takeOverKey(key.name)}
                          onClick={() => setOpen({ kind: 'take over', key })}
                        >
                          {texts.takeOver}
                        </Button>
                      )}
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={texts.revokeKey(key.name)}
                        onClick={() => setOpen({ kind: 'revoke', key })}
                      >
                        {texts.revoke}
                      </Button>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {open?.kind === 'add' && <KeyDialog onClose={close} />}
      {open?.kind === 'take over' && (
        <ConfirmDialog
          title={texts.takeOverKey(open.key.name)}
          hint={texts.takeOverKeyHint}
          action={texts.takeOver}
          onConfirm={() => takeOver([open.key])}
          onClose={close}
        />
      )}
      {open?.kind === 'revoke' && (
        <ConfirmDialog
          title={texts.revokeKey(open.key.name)}
          hint={texts.revokeKeyHint}
          action={texts.revoke}
          onConfirm={() => revoke(open.key)}
          onClose={close}
        />
      )}
    </Stack>
  )
}
