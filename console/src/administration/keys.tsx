import { Alert, Badge, Button, Checkbox, Code, CopyButton, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { Key } from '../api/schema.ts'
import type { Permission } from '../api/types.ts'
import { dayOf, startOfDayMs } from '../calendar/days.ts'
import { ConfirmDialog, Dialog, FormButtons } from '../dialog/dialog.tsx'
import { formatDate, type Texts, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState, LoadingState } from '../page/page.tsx'
import type { Column } from '../table/column.ts'
import { DateField } from '../table/filters.tsx'
import { PlainTable } from '../table/plain-table.tsx'
import { PermissionChoice, PermissionsText, permissionsOf } from './permissions.tsx'

type Open = { readonly kind: 'add' } | { readonly kind: 'revoke' | 'take over'; readonly key: Key }

export function KeysTab() {
  const texts = useTexts('administration')
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

interface ColumnsOf {
  readonly texts: Texts<'administration'>
  readonly onTakeOver: (key: Key) => void
  readonly onRevoke: (key: Key) => void
}

/** What the list says of each key. */
function keyColumns({ texts, onTakeOver, onRevoke }: ColumnsOf): readonly Column<Key>[] {
  return [
    { id: 'name', title: texts.name, cell: key => key.name },
    { id: 'permissions', title: texts.permissions, cell: key => <PermissionsText permissions={key.permissions} /> },
    { id: 'created', title: texts.created, cell: key => formatDate(Date.parse(key.createdTimestamp)) },
    {
      id: 'expires',
      title: texts.expires,
      cell: key => (key.expiresTimestamp === null ? texts.never : formatDate(Date.parse(key.expiresTimestamp))),
    },
    {
      id: 'madeBy',
      title: texts.madeBy,
      cell: key => (
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
      ),
    },
    {
      id: 'actions',
      title: texts.actions,
      isNumeric: true,
      cell: key => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {key.isResting && (
            <Button size="compact-sm" aria-label={texts.takeOverKey(key.name)} onClick={() => onTakeOver(key)}>
              {texts.takeOver}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={texts.revokeKey(key.name)}
            onClick={() => onRevoke(key)}
          >
            {texts.revoke}
          </Button>
        </Group>
      ),
    },
  ]
}

/** Creates a key and shows it, the only time that it can be seen. */
function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts('administration')
  const [name, setName] = useState('')
  const [expires, setExpires] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>(permissionsOf('manager'))
  const [today] = useState(() => dayOf(Date.now()))
  const make = useMutation({
    mutationFn: () =>
      ask('POST /admin/keys', {
        body: {
          name: name.trim(),
          permissions: [...permissions],
          // The key is good until the end of the day that is chosen.
          ...(expires === '' ? {} : { expiresTimestamp: new Date(startOfDayMs(expires, 1) - 1).toISOString() }),
        },
      }),
    // The key is shown at once, whether or not the list comes.
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  // A user who closed this while the key is created would never see it.
  const close = () => {
    if (!make.isPending) onClose()
  }
  if (make.data) return <MadeKey value={make.data.key} onClose={onClose} />
  return (
    <Dialog title={texts.addKey} onClose={close}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            autoComplete="off"
            required
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
          <DateField
            label={texts.expires}
            description={texts.expiresHint}
            min={today}
            value={expires}
            onChange={setExpires}
          />
          <PermissionChoice value={permissions} onChange={setPermissions} />
          <FormButtons
            error={make.error}
            isPending={make.isPending}
            onCancel={close}
            action={texts.addKey}
            isCancelDisabled={make.isPending}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

function MadeKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const texts = useTexts('administration')
  return (
    <Dialog title={texts.addKey} onClose={onClose} isKept>
      <Stack>
        <Alert color="yellow">{texts.keyMade}</Alert>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? texts.copied : texts.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{texts.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Keys that work because this user may administrate. */
export function useKeysOf(userId: string | undefined): readonly Key[] {
  const { data: keys = [] } = useQuery(keysQuery)
  return keys.filter(({ madeBy, isResting }) => madeBy?.kind === 'user' && madeBy.id === userId && !isResting)
}

/** Makes them the person's own, so that they go on. */
export async function takeOver(keys: readonly Key[]): Promise<void> {
  for (const { id } of keys) await ask('POST /admin/keys/{id}/take-over', { path: { id } })
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
}

interface KeysOfUserProps {
  readonly keys: readonly Key[]
  readonly isTakenOver: boolean
  readonly onChange: (isTakenOver: boolean) => void
}

/** Says which keys end with a user's right, and asks whether to take them over. */
export function KeysOfUser({ keys, isTakenOver, onChange }: KeysOfUserProps) {
  const texts = useTexts('administration')
  if (keys.length === 0) return null
  return (
    <Alert color="yellow" title={texts.keysEnd}>
      <Stack gap="xs">
        <List size="sm">
          {keys.map(({ id, name }) => (
            <List.Item key={id}>{name}</List.Item>
          ))}
        </List>
        <Text fz="sm">{texts.keysEndHint}</Text>
        <Checkbox
          label={texts.takeThemOver}
          checked={isTakenOver}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      </Stack>
    </Alert>
  )
}

export const usersQuery = queryOptions({
  queryKey: ['administration', 'users'],
  queryFn: async ({ signal }) => (await ask('GET /admin/users', { signal })).users,
})

export const keysQuery = queryOptions({
  queryKey: ['administration', 'keys'],
  queryFn: async ({ signal }) => (await ask('GET /admin/keys', { signal })).keys,
})
