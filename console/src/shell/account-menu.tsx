import { ActionIcon, Menu } from '@mantine/core'
import { IconBook, IconKey, IconLogout, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../language/language.ts'
import { logOut } from '../session/session.ts'
import { sessionQuery } from '../session/use-session.ts'
import { shellTexts } from './texts.ts'

export function AccountMenu() {
  const texts = useTexts(shellTexts)
  const { data: session } = useQuery(sessionQuery)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={texts.account}>
          <IconUser size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {session && <Menu.Label>{`${session.name} · ${session.account.name}`}</Menu.Label>}
        <Menu.Item component="a" href="/docs" target="_blank" leftSection={<IconBook size={16} />}>
          {texts.apiDocumentation}
        </Menu.Item>
        {session?.kind === 'user' && (
          <Menu.Item component={Link} to="/account" leftSection={<IconKey size={16} />}>
            {texts.changePassword}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void logOut()}>
          {texts.logOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
