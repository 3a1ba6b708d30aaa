import type { ComponentType } from "react";
import {
  Archive,
  BookOpen,
  Building2,
  CirclePlus,
  CreditCard,
  Inbox,
  KeyRound,
  LayoutDashboard,
  LifeBuoy,
  ScrollText,
  Settings,
  Tractor,
  UserRound,
  Users,
  type LucideIcon,
} from "lucide-react";
import type { FileRouteTypes } from "#/routeTree.gen";
import type { User } from "#/session/session";
import { audienceOf, mayReadAuditLog, type Audience } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";

export interface NavLink {
  to: FileRouteTypes["to"];
  label: TextKey;
  icon: LucideIcon;
  audience: readonly Audience[];
  /** Keeps it from those of the audience who may not open the page. */
  only?: (user: User) => boolean;
  /**
   * Where the header has it: in the bar, in the bar of wide windows and else under More, under More,
   * or behind the round profile button. The slide-in menu lists them all.
   */
  place: "bar" | "wide" | "more" | "account";
  /** What stands beside the label, e.g. a count; loaded only where the link is shown. */
  badge?: ComponentType;
}

const PendingBadge = lazyWithTexts(["person"], () =>
  import("#/features/updates/pending-badge").then((module) => module.PendingBadge),
);

/** Only pages that exist stand here, in the order of the menus. */
const navLinks: readonly NavLink[] = [
  {
    to: "/",
    label: key("shell.titles.dashboard"),
    icon: LayoutDashboard,
    audience: ["manager"],
    place: "bar",
  },
  {
    to: "/review",
    label: key("shell.titles.review"),
    icon: Inbox,
    audience: ["manager"],
    place: "bar",
    badge: PendingBadge,
  },
  {
    to: "/",
    label: key("shell.titles.equipmentUpdates"),
    icon: LayoutDashboard,
    audience: ["operator"],
    place: "bar",
  },
  {
    to: "/equipment-list",
    label: key("shell.titles.equipmentList"),
    icon: Tractor,
    audience: ["manager"],
    place: "bar",
  },
  {
    to: "/add-equipment",
    label: key("shell.titles.addEquipment"),
    icon: CirclePlus,
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/employees",
    label: key("shell.titles.operators"),
    icon: Users,
    audience: ["manager"],
    place: "bar",
  },
  {
    to: "/retired-equipment",
    label: key("shell.titles.retired"),
    icon: Archive,
    audience: ["manager"],
    place: "wide",
  },
  {
    to: "/subscription",
    label: key("shell.titles.subscription"),
    icon: CreditCard,
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/instructions",
    label: key("shell.titles.instructions"),
    icon: BookOpen,
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/contact",
    label: key("shell.titles.contact"),
    icon: LifeBuoy,
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/profile",
    label: key("shell.titles.profile"),
    icon: UserRound,
    audience: ["manager", "operator"],
    place: "account",
  },
  {
    to: "/settings",
    label: key("shell.titles.settings"),
    icon: Settings,
    audience: ["manager"],
    place: "account",
  },
  {
    to: "/audit-log",
    label: key("shell.titles.auditLog"),
    icon: ScrollText,
    audience: ["manager"],
    only: mayReadAuditLog,
    place: "account",
  },
  {
    to: "/admin-accounts",
    label: key("shell.titles.adminAccounts"),
    icon: Building2,
    audience: ["staff"],
    place: "bar",
  },
  {
    to: "/password",
    label: key("shell.titles.password"),
    icon: KeyRound,
    audience: ["staff"],
    place: "account",
  },
];

/** What the header and the slide-in menu show to this person. */
export function linksFor(user: User): readonly NavLink[] {
  const audience = audienceOf(user);
  return navLinks.filter((link) => link.audience.includes(audience) && (link.only?.(user) ?? true));
}
