import { Navigate } from "@tanstack/react-router";

/** Support staff belong to no company, so there is no dashboard to show: their page is the accounts. */
export function StaffHome() {
  return <Navigate to="/admin-accounts" replace />;
}
