import { createContext, type ComponentType, type ReactElement, type ReactNode } from "react";

/** How a menu was opened; by key, its first item gets the focus. */
export type OpenedBy = "key" | "pointer";

export interface MenuPanelProps {
  trigger: ReactElement;
  align: "start" | "center" | "end";
  openedBy: OpenedBy;
  children: ReactNode;
}

export interface MenuItemProps {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: ReadonlyArray<{ value: Value; label: string; icon?: ReactNode; lang?: string }>;
  onChange: (value: Value) => void;
}

export interface MenuChecksProps<Value extends string> {
  label: string;
  options: ReadonlyArray<{ value: Value; label: string; checked: boolean }>;
  /** The menu stays open. */
  onChange: (value: Value, checked: boolean) => void;
}

/** The rendering of menu items; loaded with the first open menu. */
export interface MenuParts {
  Item: ComponentType<MenuItemProps>;
  Link: ComponentType<{ children: ReactElement }>;
  Separator: ComponentType;
  Choice: <Value extends string>(props: MenuChoiceProps<Value>) => ReactNode;
  Checks: <Value extends string>(props: MenuChecksProps<Value>) => ReactNode;
}

export const Parts = createContext<MenuParts | null>(null);
