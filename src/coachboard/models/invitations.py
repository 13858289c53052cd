"""Invitations to a workspace ("WorkspaceInvitation", "CreateWorkspaceInvitation")."""

from coachboard.models.base import Timestamp, Wire
from coachboard.models.enums import InvitedRole


class CreateWorkspaceInvitation(Wire):
    """The request; spec: not shown: all names but sendInvitationEmail, and its default."""

    email: str
    role: InvitedRole
    send_invitation_email: bool = False


class WorkspaceInvitation(Wire):
    """A pending invitation; spec: not shown: all names, only that a code and an expiry exist."""

    id: str
    workspace_id: str
    email: str
    role: InvitedRole
    code: str
    expires_at: Timestamp
