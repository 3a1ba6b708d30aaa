import { Link, useLocation } from "@tanstack/react-router";
import { clsx } from "clsx";
import { ChevronDown, Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/session";
import { initialsOf, personName } from "#/domain/person";
import { useRoleLabel } from "#/shared/words/role-label";
import { setTheme, useTheme, type ThemeChoice } from "#/shared/theme";
import { Menu, MenuChoice, MenuLink, MenuSeparator } from "#/shared/ui/menu";
import { useThemeOptions } from "#/shared/ui/theme-choice";
import type { NavLink } from "./nav";

function MenuLinks({ links }: { links: readonly NavLink[] }) {
  const { t } = useTranslation();
  return links.map((link) => (
    <MenuLink key={link.label}>
      <Link
        to={link.to}
        activeOptions={{ exact: true, includeSearch: false }}
        className={clsx("data-[status=active]:font-semibold", link.place === "wide" && "xl:hidden")}
      >
        <link.icon aria-hidden className="size-4 text-muted" />
        {t(link.label)}
      </Link>
    </MenuLink>
  ));
}

function useIsAt(links: readonly NavLink[]): boolean {
  const path = useLocation({ select: (location) => location.pathname });
  return links.some((link) => link.to === path);
}

/** The links that the bar has no room for. */
export function MoreMenu({ links }: { links: readonly NavLink[] }) {
  const { t } = useTranslation();
  // A link that wide windows show in the bar is marked there, not here.
  const here = useIsAt(links.filter((link) => link.place === "more"));
  const hereIfNarrow = useIsAt(links.filter((link) => link.place === "wide"));
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className={clsx(
            "inline-flex h-9 items-center gap-1 rounded-control px-3 font-semibold whitespace-nowrap hover:bg-sunken hover:text-ink",
            here
              ? "bg-sunken text-ink"
              : hereIfNarrow
                ? "text-muted max-xl:bg-sunken max-xl:text-ink"
                : "text-muted",
          )}
        >
          {t("shell.more")}
          <ChevronDown aria-hidden className="size-4" />
        </button>
      }
    >
      <MenuLinks links={links} />
    </Menu>
  );
}

const themeIcons: Record<ThemeChoice, LucideIcon> = { light: Sun, dark: Moon, system: Monitor };

/** The round profile button: who is signed in and as what, their pages, the theme. */
export function AccountMenu({ user, links }: { user: User; links: readonly NavLink[] }) {
  const { t } = useTranslation();
  const roleLabel = useRoleLabel();
  const here = useIsAt(links);
  const name = personName(user);
  const themes = useThemeOptions().map((option) => {
    const Icon = themeIcons[option.value];
    return { ...option, icon: <Icon aria-hidden className="size-4 text-muted" /> };
  });
  return (
    <Menu
      trigger={
        <button
          type="button"
          className={clsx(
            "grid size-9 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent",
            here ? "ring-2 ring-accent" : "hover:ring-1 hover:ring-control-line",
          )}
        >
          {/* What is seen is part of the name, so that it can be called by voice. */}
          {initialsOf(name)} <span className="sr-only">{t("shell.account", { name })}</span>
        </button>
      }
    >
      <div className="max-w-64 px-3 pt-1.5 pb-2">
        <p className="truncate font-semibold">{name}</p>
        <p className="truncate text-sm text-muted">
          {user.businessName && user.businessName !== name
            ? `${roleLabel(user.role)} · ${user.businessName}`
            : roleLabel(user.role)}
        </p>
      </div>
      {links.length > 0 && (
        <>
          <MenuSeparator />
          <MenuLinks links={links} />
        </>
      )}
      <MenuSeparator />
      <MenuChoice
        label={t("shell.theme.label")}
        value={useTheme()}
        options={themes}
        onChange={setTheme}
      />
    </Menu>
  );
}
