package records

// ActiveMember is the condition for the membership m of a user u to be that of an
// active annotator: one who can sign in and is not set aside.
const ActiveMember = "m.role = 'annotator' AND NOT m.removed AND NOT m.set_aside AND NOT u.disabled AND NOT u.imported"
