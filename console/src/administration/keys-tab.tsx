import { Button, Group, Stack } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { Key } from '../api/schema.ts'
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx'
import { useLanguage, useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { PlainTable } from '../table/plain-table.tsx'
import { keyColumns } from './key-columns.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { takeOver } from './keys-of-user.tsx'
import { keysQuery } from './queries.ts'

type Open = { readonly kind: 'add' } | { readonly kind: 'revoke' | 'take over'; readonly key: Key }

export function KeysTab() {
  const texts = useTexts('administration')
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
  const columns = keyColumns({
    texts,
    language,
    onTakeOver: key => setOpen({ kind: 'take over', key }),
    onRevoke: key => setOpen({ kind: 'revoke', key }),
  })
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
        <PlainTable label={texts.keys} rows={keys} columns={columns} keyOf={({ id }) => id} />
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
