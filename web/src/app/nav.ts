import { lazy, type ComponentType } from "react";
import { LayoutDashboard, Users, type LucideIcon } from "lucide-react";
import type { FileRouteTypes } from "#/routeTree.gen";
import type { Audience } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";

export interface NavLink {
  to: FileRouteTypes["to"];
  label: TextKey;
  icon: LucideIcon;
  audience: readonly Audience[];
  /** What stands beside the label, e.g. a count; loaded only where the link is shown. */
  badge?: ComponentType;
}

const PendingBadge = lazy(() =>
  import("#/features/updates/pending-badge").then((module) => ({ default: module.PendingBadge })),
);

/** The header and the slide-in menu show these, in this order. Only pages that exist stand here. */
export const navLinks: readonly NavLink[] = [
  {
    to: "/",
    label: key("shell.titles.dashboard"),
    icon: LayoutDashboard,
    audience: ["manager"],
    badge: PendingBadge,
  },
  {
    to: "/employees",
    label: key("operators.title"),
    icon: Users,
    audience: ["manager"],
  },
  {
    to: "/",
    label: key("shell.titles.equipmentUpdates"),
    icon: LayoutDashboard,
    audience: ["operator"],
  },
];
