import { clsx } from "clsx";
import { Ellipsis, Inbox, LayoutDashboard, Plus, Tractor, type LucideIcon } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/session";
import { PendingBadge } from "#/features/updates/pending-badge";
import { useNavigation } from "#/shared/navigation";
import { PageLink } from "#/shared/ui/page-link";
import { linksFor } from "./nav";
import { QuickAdd } from "./quick-add";
import { SlideInMenu } from "./slide-in-menu-on-demand";
import { useLogout } from "./use-logout";

const look =
  "relative flex min-h-14 flex-col items-center justify-center gap-0.5 text-xs font-semibold text-muted focus-visible:-outline-offset-2 aria-[current=page]:text-accent";

/** The main places of owners and managers within thumb reach of a phone. */
export function BottomBar({ user }: { user: User }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const { logout, pending } = useLogout();
  return (
    <>
      {/* The keyboard of the device needs the room. The bar returns late, so that it is not under a
      press that ends the typing. */}
      <nav
        aria-label={t("commands.bar.label")}
        className="no-print fixed inset-x-0 bottom-0 z-30 border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] transition-[visibility] delay-500 duration-0 in-[:root:has(:is(input:not([type=checkbox],[type=radio]),textarea):focus)]:invisible in-[:root:has(:is(input:not([type=checkbox],[type=radio]),textarea):focus)]:delay-0 md:hidden"
      >
        <ul className="grid grid-cols-5">
          <Place to="/" icon={LayoutDashboard}>
            {t("commands.bar.home")}
          </Place>
          <Place to="/equipment-list" icon={Tractor}>
            {t("commands.bar.equipment")}
          </Place>
          <li className="grid place-items-center">
            <QuickAdd
              align="center"
              trigger={
                <button
                  type="button"
                  aria-label={t("commands.add.open")}
                  className="grid size-11 place-items-center rounded-full bg-accent text-accent-on"
                >
                  <Plus aria-hidden className="size-6" />
                </button>
              }
            />
          </li>
          <Place to="/review" icon={Inbox}>
            {t("shell.titles.review")}
            <span className="absolute top-1 left-1/2">
              <Suspense>
                <PendingBadge />
              </Suspense>
            </span>
          </Place>
          <li className="grid">
            <button
              type="button"
              aria-haspopup="dialog"
              onClick={() => setOpen(true)}
              className={look}
            >
              <Ellipsis aria-hidden className="size-5" />
              {t("shell.more")}
            </button>
          </li>
        </ul>
      </nav>
      {open && (
        <SlideInMenu
          onClose={() => setOpen(false)}
          user={user}
          links={linksFor(user)}
          onLogout={logout}
          loggingOut={pending}
        />
      )}
    </>
  );
}

function Place({
  to,
  icon: Icon,
  children,
}: {
  to: string;
  icon: LucideIcon;
  children: ReactNode;
}) {
  const { path } = useNavigation();
  return (
    <li className="grid">
      <PageLink to={to} className={clsx(look, path === to && "text-accent")}>
        <Icon aria-hidden className="size-5" />
        {children}
      </PageLink>
    </li>
  );
}
