import { Navigate } from "@tanstack/react-router";

/** Support staff belong to no company and have no dashboard; their home page is the accounts. */
export function StaffHome() {
  return <Navigate to="/admin-accounts" replace />;
}
